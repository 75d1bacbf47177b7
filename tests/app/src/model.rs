//! A linear model of lengths, fitted by gradient descent.

use flash::{FlashOps, ScaleOps};

use opswitch::DataError;

use crate::{Dispatch, Length, Tensor};

/// Weights, one a column of the inputs. They give lengths in inches.
pub struct Model {
    /// `[columns, 1]`.
    pub weights: Tensor<2>,
}

/// What a step of gradient descent found.
pub struct Step {
    /// The mean squared error before the step, in square metres.
    pub loss: f64,
    /// Its gradient with respect to the weights.
    pub gradient: Tensor<2>,
}

impl Model {
    /// The lengths of the rows of `inputs`, in metres.
    pub fn metres(&self, inputs: &Tensor<2>) -> Tensor<2> {
        let inches = inputs.clone().matmul(self.weights.clone());
        Tensor::from_primitive(Dispatch::in_base(inches.into_primitive(), Length::Inch))
    }

    /// Moves the weights down the gradient of the mean squared error.
    ///
    /// # Errors
    ///
    /// If the device fails when the loss is read.
    ///
    /// # Panics
    ///
    /// If a tensor is not on the autodiff device of the weights.
    pub fn fit(&mut self, inputs: &Tensor<2>, metres: &Tensor<2>, rate: f64) -> Result<Step, DataError> {
        self.weights = self.weights.clone().detach().require_grad();
        let error =
            Dispatch::squared_error(self.metres(inputs).into_primitive(), metres.clone().into_primitive());
        let loss = Tensor::<0>::from_primitive(error);
        let gradient = self.weights.grad(&loss.backward()).expect("the loss depends on the weights");
        self.weights = self.weights.clone().detach() - gradient.clone() * rate;
        Ok(Step { loss: loss.into_scalar()?, gradient })
    }
}
